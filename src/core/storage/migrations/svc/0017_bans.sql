CREATE TABLE `ip_bans` (
	`ip_address` text(50) PRIMARY KEY NOT NULL,
	`ban_reason` text(200) NOT NULL,
	`ban_count` integer NOT NULL,
	`banned_at` integer NOT NULL,
	`expires_at` integer,
	`created_by` text(50) NOT NULL
);
