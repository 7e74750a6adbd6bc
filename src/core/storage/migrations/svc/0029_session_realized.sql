ALTER TABLE `strategy_runs` ADD `pnl_session` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `strategy_runs` SET `pnl_session` = `pnl_realized`;
