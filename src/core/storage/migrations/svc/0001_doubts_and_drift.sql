CREATE TABLE `broker_comparisons` (
	`broker` text NOT NULL,
	`account` text NOT NULL,
	`session` text NOT NULL,
	`at` integer NOT NULL,
	`through` integer NOT NULL,
	PRIMARY KEY(`broker`, `account`)
);
--> statement-breakpoint
CREATE TABLE `broker_externals` (
	`broker` text NOT NULL,
	`account` text NOT NULL,
	`exchange` text NOT NULL,
	`symbol` text NOT NULL,
	`product` text NOT NULL,
	`ours` real NOT NULL,
	`external` real NOT NULL,
	`before` real NOT NULL,
	PRIMARY KEY(`broker`, `account`, `exchange`, `symbol`, `product`)
);
--> statement-breakpoint
CREATE TABLE `broker_foreign_orders` (
	`broker` text NOT NULL,
	`account` text NOT NULL,
	`order_id` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`broker`, `account`, `order_id`)
);
--> statement-breakpoint
CREATE TABLE `order_absences` (
	`order_ref` text PRIMARY KEY NOT NULL,
	`readings` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `order_candidates` (
	`order_ref` text NOT NULL,
	`id` text NOT NULL,
	`status` text NOT NULL,
	`filled` real NOT NULL,
	`price` real NOT NULL,
	`placed_at` integer,
	PRIMARY KEY(`order_ref`, `id`)
);
--> statement-breakpoint
ALTER TABLE `order_journal` ADD `account` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `settled_by` text;