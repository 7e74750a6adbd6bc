CREATE TABLE `sandbox_gtt` (
	`gtt_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`trigger_type` text NOT NULL,
	`gtt_status` text NOT NULL,
	`symbol` text NOT NULL,
	`exchange` text NOT NULL,
	`last_price` integer NOT NULL,
	`strategy` text NOT NULL,
	`margin_blocked` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sandbox_gtt_active` ON `sandbox_gtt` (`gtt_status`) WHERE gtt_status = 'active';--> statement-breakpoint
CREATE INDEX `sandbox_gtt_user` ON `sandbox_gtt` (`user_id`);--> statement-breakpoint
CREATE TABLE `sandbox_gtt_legs` (
	`gtt_id` text NOT NULL,
	`leg_number` integer NOT NULL,
	`trigger_price` integer NOT NULL,
	`trigger_direction` text NOT NULL,
	`action` text NOT NULL,
	`quantity` real NOT NULL,
	`price` integer NOT NULL,
	`pricetype` text NOT NULL,
	`product` text NOT NULL,
	`leg_status` text NOT NULL,
	`triggered_order_id` text,
	`leg_margin` integer NOT NULL,
	`claimed_at` integer,
	PRIMARY KEY(`gtt_id`, `leg_number`)
);
--> statement-breakpoint
CREATE TABLE `sandbox_jobs` (
	`job` text NOT NULL,
	`slot` text NOT NULL,
	`due_at` integer NOT NULL,
	`ran_at` integer NOT NULL,
	PRIMARY KEY(`job`, `slot`)
);
--> statement-breakpoint
CREATE INDEX `sandbox_jobs_due` ON `sandbox_jobs` (`due_at`);--> statement-breakpoint
ALTER TABLE `sandbox_orders` ADD `gtt_leg_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `sandbox_orders_gtt_leg` ON `sandbox_orders` (`gtt_leg_id`);