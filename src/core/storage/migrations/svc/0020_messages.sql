CREATE TABLE `message_commands` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`channel` text NOT NULL,
	`user_id` text NOT NULL,
	`command` text(32) NOT NULL
);
--> statement-breakpoint
CREATE INDEX `message_commands_by_time` ON `message_commands` (`at`);--> statement-breakpoint
CREATE TABLE `message_contacts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`channel` text NOT NULL,
	`address` text(255) NOT NULL,
	`origin` text NOT NULL,
	`first_name` text(255),
	`last_name` text(255),
	`handle` text(255),
	`enabled` integer DEFAULT true NOT NULL,
	`orders` integer DEFAULT true NOT NULL,
	`failures` integer DEFAULT true NOT NULL,
	`trades` integer DEFAULT true NOT NULL,
	`approvals` integer DEFAULT true NOT NULL,
	`system` integer DEFAULT true NOT NULL,
	`pnl` integer DEFAULT true NOT NULL,
	`daily_summary` integer DEFAULT true NOT NULL,
	`summary_time` text(5) DEFAULT '18:00' NOT NULL,
	`summary_day` text(10),
	`language` text(16) DEFAULT 'en' NOT NULL,
	`timezone` text(64) DEFAULT 'Asia/Kolkata' NOT NULL,
	`created_at` integer NOT NULL,
	`last_command_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `message_contacts_by_user` ON `message_contacts` (`user_id`,`channel`);--> statement-breakpoint
CREATE UNIQUE INDEX `message_contacts_by_address` ON `message_contacts` (`channel`,`address`);--> statement-breakpoint
CREATE TABLE `message_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`telegram_token_encrypted` text,
	`telegram_active` integer DEFAULT true NOT NULL,
	`telegram_polling` integer DEFAULT true NOT NULL,
	`telegram_webhook_url` text(500),
	`telegram_broadcast` integer DEFAULT true NOT NULL,
	`telegram_rate_per_minute` integer DEFAULT 30 NOT NULL,
	`telegram_username` text(64),
	`telegram_update_id` integer,
	`telegram_update_at` integer,
	`whatsapp_token_encrypted` text,
	`whatsapp_phone_id` text(32),
	`whatsapp_app_secret_encrypted` text,
	`whatsapp_verify_token_encrypted` text,
	`whatsapp_template` text(512),
	`whatsapp_template_language` text(16) DEFAULT 'en' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "message_settings_one_row" CHECK("message_settings"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text(100) NOT NULL,
	`channel` text NOT NULL,
	`address` text(255) NOT NULL,
	`user_id` text NOT NULL,
	`event` text(32) NOT NULL,
	`subject` text(200),
	`body` text NOT NULL,
	`format` text NOT NULL,
	`pending_order_id` integer,
	`attachment` text(4096),
	`attachment_kind` text,
	`attachment_name` text(255),
	`priority` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`error` text(500),
	`provider_id` text(255)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_by_key` ON `messages` (`channel`,`address`,`key`);--> statement-breakpoint
CREATE INDEX `messages_due` ON `messages` (`state`,`channel`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `messages_by_end` ON `messages` (`state`,`ended_at`);--> statement-breakpoint
CREATE INDEX `messages_by_provider` ON `messages` (`channel`,`provider_id`);