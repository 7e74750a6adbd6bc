ALTER TABLE `sandbox_positions` ADD `opening_session` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sandbox_positions` ADD `opening_quantity` real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sandbox_positions` ADD `opening_cost` integer DEFAULT 0 NOT NULL;