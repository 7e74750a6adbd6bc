CREATE TABLE `market_calendar_years` (
	`year` integer PRIMARY KEY NOT NULL,
	`is_complete` integer NOT NULL
);
