ALTER TABLE `strategy_runs` ADD `reserved_at` integer;--> statement-breakpoint
ALTER TABLE `strategy_runs` ADD `reserved_reason` text;