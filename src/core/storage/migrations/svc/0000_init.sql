CREATE TABLE `pending_orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text(255) NOT NULL,
	`api_type` text(50) NOT NULL,
	`order_data` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_at_ist` text(50) NOT NULL,
	`status` text(20) NOT NULL,
	`approved_at` integer,
	`approved_at_ist` text(50),
	`approved_by` text(255),
	`rejected_at` integer,
	`rejected_at_ist` text(50),
	`rejected_by` text(255),
	`rejected_reason` text,
	`broker_order_id` text(255),
	`broker_status` text(20),
	`side` text(4),
	`created_ltp` integer,
	`expires_at` integer,
	`execution` text(20),
	`execution_ref` text(64),
	`execution_error` text
);
--> statement-breakpoint
CREATE INDEX `pending_orders_user_status` ON `pending_orders` (`user_id`,`status`);--> statement-breakpoint
CREATE INDEX `pending_orders_created_at` ON `pending_orders` (`created_at`);--> statement-breakpoint
CREATE INDEX `pending_orders_expiring` ON `pending_orders` (`expires_at`) WHERE status = 'pending' and expires_at is not null;--> statement-breakpoint
CREATE INDEX `pending_orders_unsettled` ON `pending_orders` (`execution`) WHERE execution in ('executing', 'in_doubt');--> statement-breakpoint
CREATE TABLE `broker_accounts` (
	`broker` text PRIMARY KEY NOT NULL,
	`active` integer DEFAULT false NOT NULL,
	`session` text,
	`expires_at` integer,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `access_tokens` (
	`id` integer PRIMARY KEY NOT NULL,
	`username` text(255) NOT NULL,
	`name` text(80) NOT NULL,
	`token_hash` text(64) NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `access_tokens_token_hash_unique` ON `access_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `access_tokens_username` ON `access_tokens` (`username`);--> statement-breakpoint
CREATE TABLE `active_sessions` (
	`id` integer PRIMARY KEY NOT NULL,
	`username` text(255) NOT NULL,
	`session_id` text(64) NOT NULL,
	`device_info` text(500),
	`ip_address` text(45),
	`broker` text(20),
	`login_time` integer NOT NULL,
	`last_seen` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `active_sessions_session_id_unique` ON `active_sessions` (`session_id`);--> statement-breakpoint
CREATE INDEX `active_sessions_username` ON `active_sessions` (`username`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` text(255) NOT NULL,
	`api_key_hash` text NOT NULL,
	`api_key_encrypted` text NOT NULL,
	`order_mode` text(20) DEFAULT 'auto' NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_user_id_unique` ON `api_keys` (`user_id`);--> statement-breakpoint
CREATE TABLE `login_attempts` (
	`id` integer PRIMARY KEY NOT NULL,
	`username` text(255) NOT NULL,
	`ip_address` text(45),
	`device_info` text(500),
	`status` text(20) NOT NULL,
	`login_type` text(20),
	`broker` text(20),
	`failure_reason` text(255),
	`timestamp` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `login_attempts_username` ON `login_attempts` (`username`);--> statement-breakpoint
CREATE INDEX `login_attempts_timestamp` ON `login_attempts` (`timestamp`);--> statement-breakpoint
CREATE INDEX `login_attempts_status` ON `login_attempts` (`status`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY NOT NULL,
	`username` text(80) NOT NULL,
	`email` text(120) NOT NULL,
	`password_hash` text(255) NOT NULL,
	`totp_secret` text(255) NOT NULL,
	`totp_enabled` integer DEFAULT false NOT NULL,
	`totp_required_for_login` integer DEFAULT false NOT NULL,
	`totp_required_for_mcp` integer DEFAULT false NOT NULL,
	`totp_required_for_password_reset` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_unique` ON `users` (`username`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `instruments` (
	`id` integer PRIMARY KEY NOT NULL,
	`symbol` text NOT NULL,
	`brsymbol` text NOT NULL,
	`name` text NOT NULL,
	`exchange` text NOT NULL,
	`brexchange` text NOT NULL,
	`token` text NOT NULL,
	`expiry` text NOT NULL,
	`strike` real NOT NULL,
	`lotsize` real NOT NULL,
	`instrumenttype` text NOT NULL,
	`tick_size` real NOT NULL,
	`contract_value` real
);
--> statement-breakpoint
CREATE TABLE `master_contract_status` (
	`id` integer PRIMARY KEY NOT NULL,
	`broker` text NOT NULL,
	`source` text NOT NULL,
	`count` integer NOT NULL,
	`loaded_at` integer NOT NULL,
	`generated_for` text NOT NULL,
	`duration_ms` integer NOT NULL,
	`checksum` integer NOT NULL,
	`last_error` text,
	`failed_at` integer
);
--> statement-breakpoint
CREATE TABLE `qty_freeze` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`exchange` text NOT NULL,
	`symbol` text NOT NULL,
	`freeze_qty` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `qty_freeze_exchange_symbol` ON `qty_freeze` (`exchange`,`symbol`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`mode` text NOT NULL,
	`order_ref` text,
	`status` integer,
	`body` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_ref` ON `idempotency_keys` (`order_ref`);--> statement-breakpoint
CREATE INDEX `idempotency_keys_created` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `order_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_ref` text NOT NULL,
	`at` integer NOT NULL,
	`from_state` text,
	`to_state` text NOT NULL,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `order_events_ref` ON `order_events` (`order_ref`,`id`);--> statement-breakpoint
CREATE TABLE `order_journal` (
	`order_ref` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`api_type` text NOT NULL,
	`source` text NOT NULL,
	`mode` text NOT NULL,
	`broker` text NOT NULL,
	`state` text NOT NULL,
	`symbol` text NOT NULL,
	`exchange` text NOT NULL,
	`action` text NOT NULL,
	`quantity` text NOT NULL,
	`product` text NOT NULL,
	`request` text NOT NULL,
	`order_id` text,
	`approval_id` integer,
	`reason` text,
	`lookups` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `order_journal_state` ON `order_journal` (`state`,`created_at`);--> statement-breakpoint
CREATE INDEX `order_journal_user` ON `order_journal` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `order_journal_order` ON `order_journal` (`order_id`);--> statement-breakpoint
CREATE INDEX `order_journal_approval` ON `order_journal` (`approval_id`);--> statement-breakpoint
CREATE TABLE `kill_switch` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`on` integer NOT NULL,
	`reason` text NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `risk_rules` (
	`rule` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	`updated_by` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`analyze_mode` integer DEFAULT false NOT NULL,
	`security_auto_ban_enabled` integer DEFAULT false NOT NULL,
	`security_404_threshold` integer DEFAULT 100 NOT NULL,
	`security_404_ban_duration` integer DEFAULT 0 NOT NULL,
	`security_api_threshold` integer DEFAULT 100 NOT NULL,
	`security_api_ban_duration` integer DEFAULT 0 NOT NULL,
	`security_repeat_offender_limit` integer DEFAULT 2 NOT NULL,
	`smtp_server` text(255),
	`smtp_port` integer,
	`smtp_username` text(255),
	`smtp_password_encrypted` text,
	`smtp_use_tls` integer DEFAULT true NOT NULL,
	`smtp_from_email` text(255),
	`smtp_helo_hostname` text(255),
	CONSTRAINT "settings_one_row" CHECK("settings"."id" = 1)
);
