CREATE TABLE `sandbox_order_ids` (
	`id` integer PRIMARY KEY NOT NULL,
	`floor` text NOT NULL
);
