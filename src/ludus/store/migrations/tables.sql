CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE tournament (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	config JSON NOT NULL, 
	created DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
CREATE TABLE game (
	id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	pairing TEXT NOT NULL, 
	board INTEGER NOT NULL, 
	seats INTEGER NOT NULL, 
	first TEXT NOT NULL, 
	second TEXT NOT NULL, 
	winner INTEGER, 
	reason TEXT NOT NULL, 
	fault TEXT NOT NULL, 
	margin INTEGER NOT NULL, 
	moves INTEGER NOT NULL, 
	used_first FLOAT NOT NULL, 
	used_second FLOAT NOT NULL, 
	left_first FLOAT, 
	left_second FLOAT, 
	version_first TEXT NOT NULL, 
	version_second TEXT NOT NULL, 
	stalled FLOAT NOT NULL, 
	replays INTEGER NOT NULL, 
	log_first TEXT NOT NULL, 
	log_second TEXT NOT NULL, 
	host TEXT NOT NULL, 
	seed INTEGER NOT NULL, 
	record TEXT NOT NULL, 
	finished DATETIME NOT NULL, fault_message JSON, checksum TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (tournament_id, pairing, board, seats), 
	FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE TABLE log (
	id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	kind TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	detail JSON NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE TABLE "match" (
	id TEXT NOT NULL, 
	game TEXT NOT NULL, 
	record TEXT NOT NULL, 
	owners JSON NOT NULL, 
	version INTEGER NOT NULL, 
	rematch TEXT, 
	finished BOOLEAN NOT NULL, 
	touched DATETIME NOT NULL, referee TEXT, guest TEXT, rated BOOLEAN DEFAULT 0 NOT NULL, listed BOOLEAN DEFAULT 0 NOT NULL, offer TEXT, 
	PRIMARY KEY (id)
);
CREATE TABLE account (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	password TEXT NOT NULL, 
	role TEXT NOT NULL, 
	language TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	UNIQUE ("key")
);
CREATE TABLE session (
	hash TEXT NOT NULL, 
	account_id INTEGER NOT NULL, 
	created DATETIME NOT NULL, 
	expires DATETIME NOT NULL, 
	PRIMARY KEY (hash), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE
);
CREATE TABLE token (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	account_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	used DATETIME, scopes TEXT DEFAULT 'all' NOT NULL, expires DATETIME, 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE, 
	UNIQUE (hash)
);
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	account_id INTEGER, 
	kind TEXT NOT NULL, 
	detail JSON NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE job (
	id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	arguments JSON NOT NULL, 
	owner TEXT, 
	state TEXT NOT NULL, 
	progress JSON, 
	result JSON, 
	error TEXT, 
	version INTEGER NOT NULL, 
	created DATETIME NOT NULL, 
	touched DATETIME NOT NULL, message JSON, 
	PRIMARY KEY (id)
);
CREATE TABLE bot (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	owner_id INTEGER, 
	game TEXT NOT NULL, 
	name TEXT, 
	"key" TEXT, 
	public BOOLEAN NOT NULL, 
	created DATETIME NOT NULL, 
	entered DATETIME, 
	UNIQUE (game, "key")
);
CREATE TABLE bot_version (
	id INTEGER NOT NULL, 
	bot_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	content TEXT NOT NULL, 
	files BLOB, 
	protocol TEXT NOT NULL, 
	language TEXT NOT NULL, 
	state TEXT NOT NULL, 
	job TEXT, 
	log TEXT NOT NULL, 
	report JSON, 
	created DATETIME NOT NULL, paper BLOB, paper_of TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (bot_id, number), 
	FOREIGN KEY(bot_id) REFERENCES bot (id)
);
CREATE TABLE challenge (
	id TEXT NOT NULL, 
	game TEXT NOT NULL, 
	challenger_id INTEGER NOT NULL, 
	challenger_version INTEGER NOT NULL, 
	defender TEXT NOT NULL, 
	defender_version INTEGER, 
	rated BOOLEAN NOT NULL, 
	pairs INTEGER NOT NULL, 
	clock TEXT NOT NULL, 
	seed BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	job TEXT, 
	open_of INTEGER, 
	change JSON, 
	error TEXT, 
	created DATETIME NOT NULL, 
	finished DATETIME, message JSON, 
	PRIMARY KEY (id), 
	FOREIGN KEY(challenger_id) REFERENCES bot (id), 
	UNIQUE (open_of)
);
CREATE TABLE challenge_game (
	id INTEGER NOT NULL, 
	challenge_id TEXT NOT NULL, 
	board INTEGER NOT NULL, 
	seats INTEGER NOT NULL, 
	"match" TEXT NOT NULL, 
	points FLOAT NOT NULL, 
	margin INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	fault TEXT NOT NULL, 
	moves INTEGER NOT NULL, 
	used_challenger FLOAT NOT NULL, 
	used_defender FLOAT NOT NULL, 
	log_challenger TEXT NOT NULL, 
	log_defender TEXT NOT NULL, fault_message JSON, 
	PRIMARY KEY (id), 
	UNIQUE (challenge_id, board, seats), 
	FOREIGN KEY(challenge_id) REFERENCES challenge (id)
);
CREATE TABLE staged_tournament (
	tournament_id INTEGER NOT NULL, 
	account_id INTEGER, 
	job TEXT, 
	created DATETIME NOT NULL, 
	PRIMARY KEY (tournament_id), 
	FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE TABLE course (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	account_id INTEGER, 
	title TEXT NOT NULL, 
	toml TEXT NOT NULL, 
	code TEXT NOT NULL, 
	deadline DATETIME, 
	late TEXT NOT NULL, 
	entered TEXT NOT NULL, 
	released BOOLEAN NOT NULL, 
	grades JSON, 
	job TEXT, 
	created DATETIME NOT NULL
, roster TEXT DEFAULT '' NOT NULL, extensions TEXT DEFAULT '' NOT NULL, programs TEXT DEFAULT '' NOT NULL, parts TEXT DEFAULT '' NOT NULL, standings BOOLEAN DEFAULT 0 NOT NULL, times TEXT DEFAULT '' NOT NULL, base_name TEXT DEFAULT '' NOT NULL, base BLOB);
CREATE TABLE submission (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	course_id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	data BLOB NOT NULL, 
	at DATETIME NOT NULL, 
	job TEXT, student TEXT DEFAULT '' NOT NULL, people JSON, marked_late BOOLEAN, program TEXT DEFAULT '' NOT NULL, 
	FOREIGN KEY(course_id) REFERENCES course (id)
);
CREATE TABLE pause (
	id INTEGER NOT NULL, 
	until DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE invitation (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	account_id INTEGER, 
	hash TEXT NOT NULL, 
	role TEXT NOT NULL, 
	note TEXT NOT NULL, 
	"left" INTEGER NOT NULL, 
	created DATETIME NOT NULL, 
	expires DATETIME NOT NULL, 
	UNIQUE (hash)
);
CREATE TABLE setting (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE claim_code (
	course_id INTEGER NOT NULL, 
	student TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	expires DATETIME NOT NULL, 
	PRIMARY KEY (course_id, student), 
	FOREIGN KEY(course_id) REFERENCES course (id), 
	UNIQUE (hash)
);
CREATE TABLE "enrolment" (
	course_id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	student TEXT NOT NULL, 
	joined DATETIME NOT NULL, 
	confirmed BOOLEAN DEFAULT 1 NOT NULL, proof TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (course_id, account_id), 
	FOREIGN KEY(course_id) REFERENCES course (id)
);
CREATE TABLE played (
	match_id TEXT NOT NULL, 
	side INTEGER NOT NULL, 
	owner TEXT NOT NULL, 
	game TEXT NOT NULL, 
	opponent TEXT NOT NULL, 
	opponent_owner TEXT, 
	result TEXT NOT NULL, 
	moves INTEGER NOT NULL, 
	rated BOOLEAN NOT NULL, 
	public BOOLEAN NOT NULL, 
	touched DATETIME NOT NULL, 
	PRIMARY KEY (match_id, side)
);
CREATE TABLE person_rating (
	id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	game TEXT NOT NULL, 
	match_id TEXT NOT NULL, 
	opponent_id INTEGER, 
	at DATETIME NOT NULL, 
	points FLOAT NOT NULL, 
	elo FLOAT NOT NULL, 
	low FLOAT NOT NULL, 
	high FLOAT NOT NULL, 
	games INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (account_id, match_id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE
);
CREATE TABLE profile (
	account_id INTEGER NOT NULL, 
	public BOOLEAN NOT NULL, 
	shows TEXT NOT NULL, 
	PRIMARY KEY (account_id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE
);
CREATE TABLE study (
	id TEXT NOT NULL, 
	account_id INTEGER NOT NULL, 
	title TEXT NOT NULL, 
	game TEXT NOT NULL, 
	visibility TEXT NOT NULL, 
	chapters JSON NOT NULL, 
	version INTEGER NOT NULL, 
	touched DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE
);
CREATE INDEX ix_audit_account_id ON audit (account_id);
CREATE INDEX ix_bot_owner_id ON bot (owner_id);
CREATE INDEX ix_bot_version_bot_id ON bot_version (bot_id);
CREATE INDEX ix_challenge_challenger_id ON challenge (challenger_id);
CREATE INDEX ix_challenge_defender ON challenge (defender);
CREATE INDEX ix_challenge_game ON challenge (game);
CREATE INDEX ix_challenge_game_challenge_id ON challenge_game (challenge_id);
CREATE INDEX ix_course_account_id ON course (account_id);
CREATE INDEX ix_enrolment_account_id ON enrolment (account_id);
CREATE INDEX ix_game_tournament_id ON game (tournament_id);
CREATE INDEX ix_invitation_account_id ON invitation (account_id);
CREATE INDEX ix_job_owner ON job (owner);
CREATE INDEX ix_job_state ON job (state);
CREATE INDEX ix_log_tournament_id ON log (tournament_id);
CREATE INDEX ix_match_guest ON "match" (guest);
CREATE INDEX ix_match_touched ON "match" (touched);
CREATE INDEX ix_person_rating_account_game ON person_rating (account_id, game);
CREATE INDEX ix_played_opponent_owner ON played (opponent_owner);
CREATE INDEX ix_played_owner_touched ON played (owner, touched);
CREATE INDEX ix_session_account_id ON session (account_id);
CREATE INDEX ix_session_expires ON session (expires);
CREATE INDEX ix_staged_tournament_account_id ON staged_tournament (account_id);
CREATE INDEX ix_study_account_id ON study (account_id);
CREATE INDEX ix_study_visibility_touched ON study (visibility, touched);
CREATE INDEX ix_submission_account_id ON submission (account_id);
CREATE INDEX ix_submission_course_id ON submission (course_id);
CREATE INDEX ix_token_account_id ON token (account_id);
CREATE UNIQUE INDEX uq_enrolment_student ON enrolment (course_id, student) WHERE confirmed;
INSERT INTO alembic_version VALUES ('0018')
