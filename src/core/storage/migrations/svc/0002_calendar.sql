CREATE TABLE `market_holiday_exchanges` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`holiday_id` integer NOT NULL,
	`exchange_code` text(10) NOT NULL,
	`is_open` integer DEFAULT false NOT NULL,
	`start_time` integer,
	`end_time` integer
);
--> statement-breakpoint
CREATE INDEX `market_holiday_exchanges_holiday` ON `market_holiday_exchanges` (`holiday_id`);--> statement-breakpoint
CREATE INDEX `market_holiday_exchanges_exchange` ON `market_holiday_exchanges` (`exchange_code`);--> statement-breakpoint
CREATE TABLE `market_holidays` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`holiday_date` text NOT NULL,
	`description` text(150) NOT NULL,
	`holiday_type` text(30) DEFAULT 'TRADING_HOLIDAY' NOT NULL,
	`year` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `market_holidays_date` ON `market_holidays` (`holiday_date`);--> statement-breakpoint
CREATE INDEX `market_holidays_year` ON `market_holidays` (`year`);--> statement-breakpoint
CREATE TABLE `market_timings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`exchange_code` text(10) NOT NULL,
	`start_time` text(5) NOT NULL,
	`end_time` text(5) NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `market_timings_exchange` ON `market_timings` (`exchange_code`);