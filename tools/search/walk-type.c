/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of files by name, in the words that search programs have for them. */

#include "base/str.h"
#include "tools/search/walk-glob.h"

static const struct {
	const char *name;
	const char *pattern;
} types[] = {
	{ "asm", "*.{asm,s,S}" },
	{ "bash", "*.{sh,bash}" },
	{ "c", "*.{c,h}" },
	{ "clojure", "*.{clj,cljc,cljs,edn}" },
	{ "cmake", "{CMakeLists.txt,*.cmake}" },
	{ "config", "*.{cfg,conf,config,ini}" },
	{ "cpp", "*.{cpp,cc,cxx,c++,hpp,hh,hxx,h++,h,inl,ipp}" },
	{ "cs", "*.cs" },
	{ "css", "*.{css,scss,sass,less}" },
	{ "csv", "*.{csv,tsv}" },
	{ "cuda", "*.{cu,cuh}" },
	{ "d", "*.{d,di}" },
	{ "dart", "*.dart" },
	{ "docker", "{Dockerfile,Dockerfile.*,*.dockerfile,Containerfile}" },
	{ "elixir", "*.{ex,exs,eex,heex,leex}" },
	{ "elm", "*.elm" },
	{ "erlang", "*.{erl,hrl}" },
	{ "fortran", "*.{f,F,f77,f90,F90,f95,for}" },
	{ "go", "*.go" },
	{ "gradle", "*.{gradle,gradle.kts}" },
	{ "graphql", "*.{graphql,graphqls,gql}" },
	{ "h", "*.{h,hh,hpp}" },
	{ "haskell", "*.{hs,lhs,cabal}" },
	{ "html", "*.{html,htm,xhtml,ejs}" },
	{ "java", "*.{java,jsp,jspx,properties}" },
	{ "js", "*.{js,jsx,mjs,cjs,vue}" },
	{ "json", "*.{json,jsonc,jsonl,json5}" },
	{ "julia", "*.jl" },
	{ "kotlin", "*.{kt,kts}" },
	{ "lisp", "*.{el,lisp,lsp,scm,ss}" },
	{ "lua", "*.lua" },
	{ "make", "{[Mm]akefile,GNUmakefile,[Mm]akefile.am,[Mm]akefile.in,*.mk,*.mak}" },
	{ "markdown", "*.{md,markdown,mdx,mkd}" },
	{ "md", "*.{md,markdown,mdx,mkd}" },
	{ "meson", "{meson.build,meson_options.txt,meson.options}" },
	{ "nix", "*.nix" },
	{ "objc", "*.{m,mm,h}" },
	{ "ocaml", "*.{ml,mli,mll,mly}" },
	{ "perl", "*.{pl,pm,PL,perl,t}" },
	{ "php", "*.{php,php3,php4,php5,phtml}" },
	{ "proto", "*.proto" },
	{ "ps", "*.{ps1,psm1,psd1}" },
	{ "py", "*.{py,pyi}" },
	{ "python", "*.{py,pyi}" },
	{ "r", "*.{R,r,Rmd,Rnw}" },
	{ "rst", "*.rst" },
	{ "ruby", "{*.{rb,rbw,gemspec,rake},Gemfile,Rakefile}" },
	{ "rust", "*.rs" },
	{ "scala", "*.{scala,sbt}" },
	{ "sh", "*.{sh,bash,zsh,ksh,fish}" },
	{ "sql", "*.{sql,psql}" },
	{ "svelte", "*.svelte" },
	{ "swift", "*.swift" },
	{ "tex", "*.{tex,ltx,cls,sty,bib}" },
	{ "tf", "*.{tf,tfvars}" },
	{ "toml", "{*.toml,Cargo.lock}" },
	{ "ts", "*.{ts,tsx,mts,cts}" },
	{ "typescript", "*.{ts,tsx,mts,cts}" },
	{ "txt", "*.txt" },
	{ "vim", "*.vim" },
	{ "vue", "*.vue" },
	{ "xml", "*.{xml,xsd,xsl,xslt,svg,rng}" },
	{ "yaml", "*.{yaml,yml}" },
	{ "zig", "*.zig" },
};

const char *
walk_type_pattern(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (streq(types[i].name, name))
			return types[i].pattern;
	return NULL;
}

const char *
walk_type_name(size_t i)
{
	return i < sizeof(types) / sizeof(types[0]) ? types[i].name : NULL;
}
