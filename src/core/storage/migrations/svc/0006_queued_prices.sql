ALTER TABLE `pending_orders` ADD `created_prices` text;--> statement-breakpoint
ALTER TABLE `pending_orders` ADD `queued_mode` text(10);