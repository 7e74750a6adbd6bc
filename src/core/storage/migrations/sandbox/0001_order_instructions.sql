ALTER TABLE `sandbox_orders` ADD `validity` text;--> statement-breakpoint
ALTER TABLE `sandbox_orders` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `sandbox_orders` ADD `opens_at` integer;--> statement-breakpoint
ALTER TABLE `sandbox_orders` ADD `iceberg_legs` integer;--> statement-breakpoint
ALTER TABLE `sandbox_orders` ADD `market_protection` real;--> statement-breakpoint
ALTER TABLE `sandbox_orders` ADD `algo_id` text;