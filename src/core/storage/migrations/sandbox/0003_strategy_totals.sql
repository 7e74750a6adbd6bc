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
CREATE INDEX `strategy_legs_contract` ON `strategy_legs` (`user_id`,`exchange`,`symbol`,`product`);--> statement-breakpoint
CREATE TABLE `__new_sandbox_trades` (
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
-- In the order of the trades: the totals add them up in that order at the first start.
INSERT INTO `__new_sandbox_trades`("trade_id", "order_id", "user_id", "symbol", "exchange", "action", "quantity", "price", "product", "strategy", "traded_at") SELECT "trade_id", "order_id", "user_id", "symbol", "exchange", "action", "quantity", "price", "product", "strategy", "traded_at" FROM `sandbox_trades` ORDER BY "traded_at", "trade_id";--> statement-breakpoint
DROP TABLE `sandbox_trades`;--> statement-breakpoint
ALTER TABLE `__new_sandbox_trades` RENAME TO `sandbox_trades`;--> statement-breakpoint
CREATE UNIQUE INDEX `sandbox_trades_trade` ON `sandbox_trades` (`trade_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sandbox_trades_order` ON `sandbox_trades` (`order_id`);--> statement-breakpoint
CREATE INDEX `sandbox_trades_user_traded` ON `sandbox_trades` (`user_id`,`traded_at`);