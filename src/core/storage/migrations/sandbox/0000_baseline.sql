CREATE TABLE `sandbox_config` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sandbox_daily_pnl` (
	`user_id` text NOT NULL,
	`date` text NOT NULL,
	`realized_pnl` integer NOT NULL,
	`positions_unrealized_pnl` integer NOT NULL,
	`holdings_unrealized_pnl` integer NOT NULL,
	`total_mtm` integer NOT NULL,
	`available_balance` integer NOT NULL,
	`used_margin` integer NOT NULL,
	`portfolio_value` integer NOT NULL,
	PRIMARY KEY(`user_id`, `date`)
);
--> statement-breakpoint
CREATE TABLE `sandbox_funds` (
	`user_id` text PRIMARY KEY NOT NULL,
	`total_capital` integer NOT NULL,
	`available_balance` integer NOT NULL,
	`used_margin` integer NOT NULL,
	`realized_pnl` integer NOT NULL,
	`today_realized_pnl` integer NOT NULL,
	`today_session` text NOT NULL,
	`last_reset_at` integer NOT NULL,
	`reset_count` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sandbox_holdings` (
	`user_id` text NOT NULL,
	`symbol` text NOT NULL,
	`exchange` text NOT NULL,
	`quantity` real NOT NULL,
	`cost` integer NOT NULL,
	`ltp` integer NOT NULL,
	`settled_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `symbol`, `exchange`)
);
--> statement-breakpoint
CREATE TABLE `sandbox_positions` (
	`user_id` text NOT NULL,
	`symbol` text NOT NULL,
	`exchange` text NOT NULL,
	`product` text NOT NULL,
	`quantity` real NOT NULL,
	`cost` integer NOT NULL,
	`margin_blocked` integer NOT NULL,
	`accumulated_realized_pnl` integer NOT NULL,
	`today_realized_pnl` integer NOT NULL,
	`today_session` text NOT NULL,
	`opening_session` text DEFAULT '' NOT NULL,
	`opening_quantity` real DEFAULT 0 NOT NULL,
	`opening_cost` integer DEFAULT 0 NOT NULL,
	`contract_value` real NOT NULL,
	`ltp` integer NOT NULL,
	`created_at` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `symbol`, `exchange`, `product`)
);
--> statement-breakpoint
CREATE TABLE `sandbox_gtt` (
	`gtt_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`trigger_type` text NOT NULL,
	`gtt_status` text NOT NULL,
	`symbol` text NOT NULL,
	`exchange` text NOT NULL,
	`last_price` integer NOT NULL,
	`strategy` text NOT NULL,
	`margin_blocked` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sandbox_gtt_active` ON `sandbox_gtt` (`gtt_status`) WHERE gtt_status = 'active';--> statement-breakpoint
CREATE INDEX `sandbox_gtt_user` ON `sandbox_gtt` (`user_id`);--> statement-breakpoint
CREATE TABLE `sandbox_gtt_legs` (
	`gtt_id` text NOT NULL,
	`leg_number` integer NOT NULL,
	`trigger_price` integer NOT NULL,
	`trigger_direction` text NOT NULL,
	`action` text NOT NULL,
	`quantity` real NOT NULL,
	`price` integer NOT NULL,
	`pricetype` text NOT NULL,
	`product` text NOT NULL,
	`leg_status` text NOT NULL,
	`triggered_order_id` text,
	`leg_margin` integer NOT NULL,
	`claimed_at` integer,
	PRIMARY KEY(`gtt_id`, `leg_number`)
);
--> statement-breakpoint
CREATE TABLE `sandbox_jobs` (
	`job` text NOT NULL,
	`slot` text NOT NULL,
	`due_at` integer NOT NULL,
	`ran_at` integer NOT NULL,
	PRIMARY KEY(`job`, `slot`)
);
--> statement-breakpoint
CREATE INDEX `sandbox_jobs_due` ON `sandbox_jobs` (`due_at`);--> statement-breakpoint
CREATE TABLE `sandbox_order_ids` (
	`id` integer PRIMARY KEY NOT NULL,
	`floor` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sandbox_orders` (
	`order_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`strategy` text NOT NULL,
	`symbol` text NOT NULL,
	`exchange` text NOT NULL,
	`action` text NOT NULL,
	`quantity` real NOT NULL,
	`price` integer NOT NULL,
	`trigger_price` integer NOT NULL,
	`price_type` text NOT NULL,
	`product` text NOT NULL,
	`status` text NOT NULL,
	`average_price` integer NOT NULL,
	`filled_quantity` real NOT NULL,
	`rejection_reason` text NOT NULL,
	`margin_blocked` integer NOT NULL,
	`margin_quantity` real NOT NULL,
	`gtt_leg_id` text,
	`of_run` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sandbox_orders_user_created` ON `sandbox_orders` (`user_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `sandbox_orders_gtt_leg` ON `sandbox_orders` (`gtt_leg_id`);--> statement-breakpoint
CREATE INDEX `sandbox_orders_waiting` ON `sandbox_orders` (`status`) WHERE status in ('open', 'trigger pending');--> statement-breakpoint
CREATE TABLE `sandbox_trades` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`trade_id` text NOT NULL,
	`order_id` text NOT NULL,
	`user_id` text NOT NULL,
	`symbol` text NOT NULL,
	`exchange` text NOT NULL,
	`action` text NOT NULL,
	`quantity` real NOT NULL,
	`price` integer NOT NULL,
	`product` text NOT NULL,
	`strategy` text NOT NULL,
	`traded_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sandbox_trades_trade` ON `sandbox_trades` (`trade_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sandbox_trades_order` ON `sandbox_trades` (`order_id`);--> statement-breakpoint
CREATE INDEX `sandbox_trades_user_traded` ON `sandbox_trades` (`user_id`,`traded_at`);--> statement-breakpoint
CREATE TABLE `strategy_cursor` (
	`id` integer PRIMARY KEY NOT NULL,
	`last_fill` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `strategy_legs` (
	`user_id` text NOT NULL,
	`strategy` text NOT NULL,
	`exchange` text NOT NULL,
	`symbol` text NOT NULL,
	`product` text NOT NULL,
	`quantity` real NOT NULL,
	`cost` text NOT NULL,
	`realized` text NOT NULL,
	`today_realized` text NOT NULL,
	`session` text NOT NULL,
	PRIMARY KEY(`user_id`, `strategy`, `exchange`, `symbol`, `product`)
);
--> statement-breakpoint
CREATE INDEX `strategy_legs_contract` ON `strategy_legs` (`user_id`,`exchange`,`symbol`,`product`);