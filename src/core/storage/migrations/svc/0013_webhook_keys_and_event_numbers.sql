CREATE TABLE `event_numbers` (
	`id` integer PRIMARY KEY NOT NULL,
	`reserved` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `flow_webhook_keys` (
	`workflow_id` integer NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`execution_id` integer NOT NULL,
	`result` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workflow_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `flow_webhook_keys_created` ON `flow_webhook_keys` (`created_at`);--> statement-breakpoint
CREATE INDEX `flow_webhook_keys_open` ON `flow_webhook_keys` (`execution_id`) WHERE result is null;