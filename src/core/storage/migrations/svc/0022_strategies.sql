CREATE TABLE `strategies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`config` text NOT NULL,
	`live_enabled` integer DEFAULT false NOT NULL,
	`webhook_token_hash` text NOT NULL,
	`webhook_locked` integer DEFAULT false NOT NULL,
	`status` text DEFAULT 'stopped' NOT NULL,
	`current_run_id` integer,
	`file_key` text,
	`applied_hash` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `strategies_name` ON `strategies` (`user_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `strategies_token` ON `strategies` (`webhook_token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `strategies_file` ON `strategies` (`user_id`,`file_key`);--> statement-breakpoint
CREATE TABLE `strategy_checkpoints` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`strategy_id` integer NOT NULL,
	`run_id` integer NOT NULL,
	`ts` integer NOT NULL,
	`pnl_realized` integer NOT NULL,
	`pnl_unrealized` integer NOT NULL,
	`pnl_total` integer NOT NULL,
	`pnl_peak` integer NOT NULL,
	`pnl_trough` integer NOT NULL,
	`lock_floor` integer,
	`trail_to_entry_active` integer DEFAULT false NOT NULL,
	`leg_state` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `strategy_checkpoints_run` ON `strategy_checkpoints` (`run_id`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_checkpoints_strategy` ON `strategy_checkpoints` (`strategy_id`);--> statement-breakpoint
CREATE TABLE `strategy_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`strategy_id` integer NOT NULL,
	`run_id` integer,
	`user_id` text NOT NULL,
	`ts` integer NOT NULL,
	`kind` text NOT NULL,
	`severity` text NOT NULL,
	`leg_id` integer,
	`message` text NOT NULL,
	`payload` text
);
--> statement-breakpoint
CREATE INDEX `strategy_events_strategy` ON `strategy_events` (`strategy_id`,`ts`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_events_kind` ON `strategy_events` (`strategy_id`,`kind`,`ts`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_events_severity` ON `strategy_events` (`strategy_id`,`severity`,`ts`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_events_run` ON `strategy_events` (`run_id`,`ts`,`id`) WHERE run_id is not null;--> statement-breakpoint
CREATE TABLE `strategy_orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`strategy_id` integer NOT NULL,
	`run_id` integer NOT NULL,
	`leg_id` integer NOT NULL,
	`kind` text NOT NULL,
	`position_ref` text NOT NULL,
	`exit_owner` text NOT NULL,
	`order_ref` text NOT NULL,
	`pending_order_id` integer,
	`broker_order_id` text,
	`symbol` text NOT NULL,
	`exchange` text NOT NULL,
	`action` text NOT NULL,
	`quantity` integer NOT NULL,
	`product` text NOT NULL,
	`pricetype` text DEFAULT 'MARKET' NOT NULL,
	`price` integer DEFAULT 0 NOT NULL,
	`trigger_price` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`placed_at` integer NOT NULL,
	`filled_at` integer,
	`avg_fill_price` integer,
	`filled_qty` integer DEFAULT 0 NOT NULL,
	`reject_reason` text
);
--> statement-breakpoint
CREATE INDEX `strategy_orders_run` ON `strategy_orders` (`run_id`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_orders_strategy` ON `strategy_orders` (`strategy_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `strategy_orders_ref` ON `strategy_orders` (`order_ref`);--> statement-breakpoint
CREATE INDEX `strategy_orders_broker` ON `strategy_orders` (`broker_order_id`) WHERE broker_order_id is not null;--> statement-breakpoint
CREATE INDEX `strategy_orders_approval` ON `strategy_orders` (`pending_order_id`) WHERE pending_order_id is not null;--> statement-breakpoint
CREATE INDEX `strategy_orders_working` ON `strategy_orders` (`id`) WHERE status in ('pending', 'open');--> statement-breakpoint
CREATE TABLE `strategy_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`strategy_id` integer NOT NULL,
	`mode` text NOT NULL,
	`broker` text NOT NULL,
	`started_at` integer NOT NULL,
	`stopped_at` integer,
	`stop_reason` text,
	`stop_requested_at` integer,
	`stop_requested_reason` text,
	`pnl_realized` integer DEFAULT 0 NOT NULL,
	`pnl_peak` integer DEFAULT 0 NOT NULL,
	`pnl_trough` integer DEFAULT 0 NOT NULL,
	`trigger_source` text NOT NULL,
	`webhook_event_id` integer,
	`resolved_expiries` text DEFAULT '{}' NOT NULL,
	`definition` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `strategy_runs_strategy` ON `strategy_runs` (`strategy_id`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_runs_stopped` ON `strategy_runs` (`strategy_id`,`stopped_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `strategy_runs_unfinished` ON `strategy_runs` (`strategy_id`) WHERE stopped_at is null;--> statement-breakpoint
CREATE TABLE `strategy_webhook_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`strategy_id` integer,
	`action` text,
	`mode` text,
	`payload` text,
	`ip` text NOT NULL,
	`user_agent` text DEFAULT '' NOT NULL,
	`received_at` integer NOT NULL,
	`result` text NOT NULL,
	`error` text
);
--> statement-breakpoint
CREATE INDEX `strategy_webhook_events_strategy` ON `strategy_webhook_events` (`strategy_id`,`id`);