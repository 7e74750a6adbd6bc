ALTER TABLE `strategy_runs` ADD `reopened_at` integer;--> statement-breakpoint
CREATE INDEX `strategy_runs_reopened` ON `strategy_runs` (`id`) WHERE reopened_at is not null;