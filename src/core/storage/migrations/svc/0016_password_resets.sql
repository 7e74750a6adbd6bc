CREATE TABLE `password_resets` (
	`username` text(255) NOT NULL,
	`method` text(10) NOT NULL,
	`token_hash` text(64) NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`username`, `method`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `password_resets_token_hash_unique` ON `password_resets` (`token_hash`);