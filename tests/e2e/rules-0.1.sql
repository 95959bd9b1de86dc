-- SPDX-License-Identifier: Apache-2.0
-- The record as version 0.1.0 left it, when a yes to a process opened a folder: made by that
-- program (rules add, and answers file, folder, always, no-session and once), without its events.
-- @OUT@, @P@: see rules-of-before-are-read.sh.
CREATE TABLE sessions ( name TEXT PRIMARY KEY NOT NULL, root BLOB, display_root BLOB, created INTEGER NOT NULL, updated INTEGER NOT NULL, agent_mode INTEGER NOT NULL, sandbox_mode INTEGER NOT NULL, ask_mode INTEGER NOT NULL, reads INTEGER NOT NULL, wrote INTEGER NOT NULL CHECK (wrote IN (0, 1))) STRICT, WITHOUT ROWID;
CREATE TABLE permissions ( session TEXT NOT NULL, place INTEGER NOT NULL, tool BLOB NOT NULL, permission INTEGER NOT NULL, PRIMARY KEY (session, place)) STRICT, WITHOUT ROWID;
CREATE TABLE rules ( id INTEGER PRIMARY KEY AUTOINCREMENT, yes INTEGER NOT NULL CHECK (yes IN (0, 1)), op INTEGER NOT NULL, beneath INTEGER NOT NULL CHECK (beneath IN (0, 1)), subject BLOB NOT NULL, label TEXT, session TEXT, project BLOB, pid INTEGER NOT NULL, start INTEGER NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL, revoked INTEGER NOT NULL DEFAULT 0, message TEXT, source TEXT) STRICT;
CREATE INDEX rules_session ON rules (session);
CREATE TABLE events ( id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL, kind TEXT NOT NULL, tool TEXT, verdict TEXT, code TEXT, subject TEXT, body TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE (session, seq)) STRICT;
CREATE TABLE heads ( session TEXT PRIMARY KEY NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA application_id = 1634558580;
PRAGMA user_version = 1;
INSERT INTO sessions VALUES ('old', CAST('@P@' AS BLOB), CAST('@P@' AS BLOB), 1795005624330, 1795005624330, -1, -1, -1, -1, 1);
INSERT INTO rules VALUES (1, 1, 0, 0, CAST('@OUT@/file' AS BLOB), NULL, NULL, CAST('@P@' AS BLOB), 0, 0, 1795005610600, 0, 0, NULL, 'rules add');
INSERT INTO rules VALUES (2, 1, 0, 1, CAST('@OUT@/dir' AS BLOB), NULL, NULL, CAST('@P@' AS BLOB), 0, 0, 1795005610603, 0, 0, NULL, 'rules add');
INSERT INTO rules VALUES (3, 1, 2, 0, CAST('example.net' AS BLOB), NULL, NULL, CAST('@P@' AS BLOB), 0, 0, 1795005610608, 0, 0, NULL, 'rules add');
INSERT INTO rules VALUES (4, 1, 0, 0, CAST('@OUT@/a/file' AS BLOB), NULL, 'old', CAST('@P@' AS BLOB), 0, 0, 1795005624339, 0, 0, NULL, 'exec');
INSERT INTO rules VALUES (5, 1, 0, 1, CAST('@OUT@/b' AS BLOB), NULL, 'old', CAST('@P@' AS BLOB), 0, 0, 1795005624355, 0, 0, NULL, 'exec');
INSERT INTO rules VALUES (6, 1, 0, 1, CAST('@OUT@/c' AS BLOB), NULL, NULL, CAST('@P@' AS BLOB), 0, 0, 1795005624370, 0, 0, NULL, 'exec');
INSERT INTO rules VALUES (7, 0, 0, 1, CAST('@OUT@/d' AS BLOB), NULL, 'old', CAST('@P@' AS BLOB), 0, 0, 1795005624385, 0, 0, NULL, 'exec');
INSERT INTO rules VALUES (8, 1, 0, 1, CAST('@OUT@/e' AS BLOB), NULL, 'old', CAST('@P@' AS BLOB), 27897, 230897, 1795005624397, 0, 0, NULL, 'exec');
INSERT INTO rules VALUES (9, 0, 0, 1, CAST('@OUT@/no' AS BLOB), NULL, NULL, CAST('@P@' AS BLOB), 0, 0, 1795005624400, 0, 0, NULL, 'rules add');
INSERT INTO rules VALUES (10, 1, 3, 0, CAST('cmd:git push' AS BLOB), 'cmd:git push', NULL, CAST('@P@' AS BLOB), 0, 0, 1795005624402, 0, 0, NULL, 'rules add');
INSERT INTO rules VALUES (11, 1, 2, 0, CAST('*.example.com' AS BLOB), NULL, NULL, NULL, 0, 0, 1795005624404, 0, 0, NULL, 'rules add');
