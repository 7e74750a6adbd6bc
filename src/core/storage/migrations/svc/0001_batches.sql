CREATE TABLE `order_batches` (
	`batch_ref` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`api_type` text NOT NULL,
	`source` text NOT NULL,
	`mode` text NOT NULL,
	`approval_id` integer,
	`plan` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `order_journal` ADD `batch_ref` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `leg` integer;--> statement-breakpoint
CREATE INDEX `order_journal_batch` ON `order_journal` (`batch_ref`,`leg`);