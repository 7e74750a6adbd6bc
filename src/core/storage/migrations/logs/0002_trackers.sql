CREATE TABLE `error_404_tracker` (
	`ip_address` text(50) PRIMARY KEY NOT NULL,
	`error_count` integer NOT NULL,
	`first_error_at` integer NOT NULL,
	`last_error_at` integer NOT NULL,
	`paths_attempted` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `error_404_tracker_first` ON `error_404_tracker` (`first_error_at`);--> statement-breakpoint
CREATE TABLE `invalid_api_key_tracker` (
	`ip_address` text(50) PRIMARY KEY NOT NULL,
	`attempt_count` integer NOT NULL,
	`first_attempt_at` integer NOT NULL,
	`last_attempt_at` integer NOT NULL,
	`api_keys_tried` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `invalid_api_key_tracker_first` ON `invalid_api_key_tracker` (`first_attempt_at`);