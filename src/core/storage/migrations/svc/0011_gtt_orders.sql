DROP INDEX `order_journal_broker_order`;--> statement-breakpoint
DROP INDEX `order_journal_broker_trigger`;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `trigger_id` text;--> statement-breakpoint
-- A GTT kept its own id where an order keeps the id of the order.
UPDATE `order_journal` SET `trigger_id` = `order_id`, `order_id` = NULL WHERE `api_type` = 'placegttorder';
--> statement-breakpoint
CREATE UNIQUE INDEX `order_journal_broker_order` ON `order_journal` (`broker`,`order_id`) WHERE order_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `order_journal_broker_trigger` ON `order_journal` (`broker`,`trigger_id`) WHERE trigger_id is not null;