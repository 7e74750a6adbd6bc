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
DROP INDEX `order_journal_strategy`;--> statement-breakpoint
CREATE INDEX `order_journal_strategy` ON `order_journal` (`user_id`,`strategy`,`state`,`created_at`);--> statement-breakpoint
CREATE TABLE `__new_order_fills` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_ref` text NOT NULL,
	`quantity` real NOT NULL,
	`price` real NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
-- In the order in which they were reported: the totals add them up in that order at the first start.
INSERT INTO `__new_order_fills`("order_ref", "quantity", "price", "at") SELECT "order_ref", "quantity", "price", "at" FROM `order_fills` ORDER BY "at", rowid;--> statement-breakpoint
DROP TABLE `order_fills`;--> statement-breakpoint
ALTER TABLE `__new_order_fills` RENAME TO `order_fills`;--> statement-breakpoint
CREATE UNIQUE INDEX `order_fills_order` ON `order_fills` (`order_ref`,`quantity`);