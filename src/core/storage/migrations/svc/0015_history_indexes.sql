CREATE INDEX `order_events_triggered` ON `order_events` (`at`) WHERE to_state = 'triggered';--> statement-breakpoint
CREATE INDEX `order_fills_at` ON `order_fills` (`at`);