CREATE TABLE `event_numbers` (
	`id` integer PRIMARY KEY NOT NULL,
	`reserved` integer NOT NULL
);
