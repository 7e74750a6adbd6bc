CREATE TABLE `audit_cursors` (
	`source` text PRIMARY KEY NOT NULL,
	`position` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`act` text NOT NULL,
	`actor` text NOT NULL,
	`credential` text NOT NULL,
	`credential_id` text,
	`address` text,
	`target` text,
	`outcome` text NOT NULL,
	`code` text,
	`before` text,
	`after` text,
	`request_id` text,
	`mac` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_entries_at` ON `audit_entries` (`at`);--> statement-breakpoint
CREATE INDEX `audit_entries_act` ON `audit_entries` (`act`,`seq`);--> statement-breakpoint
CREATE TABLE `audit_pending` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`entry` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_seal` (
	`id` integer PRIMARY KEY NOT NULL,
	`floor_seq` integer NOT NULL,
	`floor_mac` text NOT NULL,
	`seq` integer NOT NULL,
	`mac` text NOT NULL,
	`signature` text NOT NULL,
	CONSTRAINT "audit_seal_one_row" CHECK("audit_seal"."id" = 1)
);
