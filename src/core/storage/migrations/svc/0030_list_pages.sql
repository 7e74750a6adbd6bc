DROP INDEX `pending_orders_user_status`;--> statement-breakpoint
CREATE INDEX `pending_orders_page` ON `pending_orders` (`user_id`,`status`,`id`,`created_at`);--> statement-breakpoint
DROP INDEX `order_journal_state`;--> statement-breakpoint
CREATE INDEX `order_journal_page` ON `order_journal` (`state`,`user_id`,`created_at`);