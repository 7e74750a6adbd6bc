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
	`contract_value` real NOT NULL,
	`ltp` integer NOT NULL,
	`created_at` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `symbol`, `exchange`, `product`)
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
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sandbox_orders_user_created` ON `sandbox_orders` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `sandbox_orders_waiting` ON `sandbox_orders` (`status`) WHERE status in ('open', 'trigger pending');--> statement-breakpoint
CREATE TABLE `sandbox_trades` (
	`trade_id` text PRIMARY KEY NOT NULL,
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
CREATE UNIQUE INDEX `sandbox_trades_order` ON `sandbox_trades` (`order_id`);--> statement-breakpoint
CREATE INDEX `sandbox_trades_user_traded` ON `sandbox_trades` (`user_id`,`traded_at`);