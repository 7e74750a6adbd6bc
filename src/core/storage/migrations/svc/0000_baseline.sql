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
	`created_prices` text,
	`queued_mode` text(10),
	`expires_at` integer,
	`execution` text(20),
	`execution_ref` text(64),
	`execution_error` text,
	`broker` text(50)
);
--> statement-breakpoint
CREATE INDEX `pending_orders_page` ON `pending_orders` (`user_id`,`status`,`id`,`created_at`);--> statement-breakpoint
CREATE INDEX `pending_orders_created_at` ON `pending_orders` (`created_at`);--> statement-breakpoint
CREATE INDEX `pending_orders_expiring` ON `pending_orders` (`expires_at`) WHERE status = 'pending' and expires_at is not null;--> statement-breakpoint
CREATE INDEX `pending_orders_ref` ON `pending_orders` (`execution_ref`) WHERE execution_ref is not null;--> statement-breakpoint
CREATE INDEX `pending_orders_unsettled` ON `pending_orders` (`execution`) WHERE execution in ('executing', 'in_doubt');--> statement-breakpoint
CREATE TABLE `audit_cursors` (
	`source` text PRIMARY KEY NOT NULL,
	`position` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`act` text NOT NULL,
	`actor` text NOT NULL,
	`credential` text NOT NULL,
	`credential_id` text,
	`address` text,
	`target` text,
	`outcome` text NOT NULL,
	`code` text,
	`before` text,
	`after` text,
	`request_id` text,
	`mac` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_entries_at` ON `audit_entries` (`at`);--> statement-breakpoint
CREATE INDEX `audit_entries_act` ON `audit_entries` (`act`,`seq`);--> statement-breakpoint
CREATE TABLE `audit_pending` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`entry` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_seal` (
	`id` integer PRIMARY KEY NOT NULL,
	`floor_seq` integer NOT NULL,
	`floor_mac` text NOT NULL,
	`seq` integer NOT NULL,
	`mac` text NOT NULL,
	`signature` text NOT NULL,
	CONSTRAINT "audit_seal_one_row" CHECK("audit_seal"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `ip_bans` (
	`ip_address` text(50) PRIMARY KEY NOT NULL,
	`ban_reason` text(200) NOT NULL,
	`ban_count` integer NOT NULL,
	`banned_at` integer NOT NULL,
	`expires_at` integer,
	`created_by` text(50) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `broker_accounts` (
	`broker` text PRIMARY KEY NOT NULL,
	`active` integer DEFAULT false NOT NULL,
	`session` text,
	`expires_at` integer,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `market_calendar_years` (
	`year` integer PRIMARY KEY NOT NULL,
	`is_complete` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `market_holiday_exchanges` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`holiday_id` integer NOT NULL,
	`exchange_code` text(10) NOT NULL,
	`is_open` integer DEFAULT false NOT NULL,
	`start_time` integer,
	`end_time` integer
);
--> statement-breakpoint
CREATE INDEX `market_holiday_exchanges_holiday` ON `market_holiday_exchanges` (`holiday_id`);--> statement-breakpoint
CREATE INDEX `market_holiday_exchanges_exchange` ON `market_holiday_exchanges` (`exchange_code`);--> statement-breakpoint
CREATE TABLE `market_holidays` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`holiday_date` text NOT NULL,
	`description` text(150) NOT NULL,
	`holiday_type` text(30) DEFAULT 'TRADING_HOLIDAY' NOT NULL,
	`year` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `market_holidays_date` ON `market_holidays` (`holiday_date`);--> statement-breakpoint
CREATE INDEX `market_holidays_year` ON `market_holidays` (`year`);--> statement-breakpoint
CREATE TABLE `market_timings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`exchange_code` text(10) NOT NULL,
	`start_time` text(5) NOT NULL,
	`end_time` text(5) NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `market_timings_exchange` ON `market_timings` (`exchange_code`);--> statement-breakpoint
CREATE TABLE `chart_preferences` (
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
--> statement-breakpoint
CREATE TABLE `event_numbers` (
	`id` integer PRIMARY KEY NOT NULL,
	`reserved` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `flow_workflow_executions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workflow_id` integer NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`started_at` integer NOT NULL,
	`completed_at` integer,
	`logs` text DEFAULT '[]' NOT NULL,
	`error` text,
	`trigger` text NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `flow_executions_workflow` ON `flow_workflow_executions` (`workflow_id`,`id`);--> statement-breakpoint
CREATE INDEX `flow_executions_unfinished` ON `flow_workflow_executions` (`id`) WHERE status in ('running', 'pending');--> statement-breakpoint
CREATE TABLE `flow_secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`updated_at` integer NOT NULL,
	`updated_by` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `flow_versions` (
	`workflow_id` integer NOT NULL,
	`version` integer NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`origin` text NOT NULL,
	`file` text,
	`commit` text,
	`content_hash` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`nodes` text NOT NULL,
	`edges` text NOT NULL,
	PRIMARY KEY(`workflow_id`, `version`)
);
--> statement-breakpoint
CREATE TABLE `flow_webhook_keys` (
	`workflow_id` integer NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`execution_id` integer NOT NULL,
	`result` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workflow_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `flow_webhook_keys_created` ON `flow_webhook_keys` (`created_at`);--> statement-breakpoint
CREATE INDEX `flow_webhook_keys_open` ON `flow_webhook_keys` (`execution_id`) WHERE result is null;--> statement-breakpoint
CREATE TABLE `flow_workflows` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`nodes` text DEFAULT '[]' NOT NULL,
	`edges` text DEFAULT '[]' NOT NULL,
	`is_active` integer DEFAULT false NOT NULL,
	`schedule_job_id` text,
	`webhook_token` text NOT NULL,
	`webhook_secret` text NOT NULL,
	`webhook_enabled` integer DEFAULT false NOT NULL,
	`webhook_auth_type` text DEFAULT 'payload' NOT NULL,
	`api_key` text,
	`activated_at` integer,
	`last_scheduled_at` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`content_hash` text NOT NULL,
	`file_key` text,
	`applied_hash` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `flow_workflows_token` ON `flow_workflows` (`webhook_token`);--> statement-breakpoint
CREATE UNIQUE INDEX `flow_workflows_file` ON `flow_workflows` (`file_key`);--> statement-breakpoint
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
	`expires_at` integer NOT NULL,
	`totp_verified_at` integer,
	`authenticated_at` integer DEFAULT 0 NOT NULL
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
	`own_address` text(45),
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
CREATE TABLE `password_resets` (
	`username` text(255) NOT NULL,
	`method` text(10) NOT NULL,
	`token_hash` text(64) NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`username`, `method`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `password_resets_token_hash_unique` ON `password_resets` (`token_hash`);--> statement-breakpoint
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
	`totp_last_step` integer,
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
	`first_id` integer DEFAULT 1 NOT NULL,
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
CREATE TABLE `oauth_clients` (
	`id` integer PRIMARY KEY NOT NULL,
	`client_id` text(64) NOT NULL,
	`client_name` text(255) NOT NULL,
	`redirect_uris` text NOT NULL,
	`client_secret_hash` text(64),
	`scopes_requested` text(255) NOT NULL,
	`approved` integer DEFAULT false NOT NULL,
	`approved_at` integer,
	`revoked_at` integer,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_clients_client_id_unique` ON `oauth_clients` (`client_id`);--> statement-breakpoint
CREATE TABLE `oauth_grants` (
	`family_id` text(64) PRIMARY KEY NOT NULL,
	`client_id` text(64) NOT NULL,
	`user_id` integer NOT NULL,
	`username` text(255) NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer,
	`end_reason` text(64)
);
--> statement-breakpoint
CREATE INDEX `oauth_grants_client` ON `oauth_grants` (`client_id`);--> statement-breakpoint
CREATE TABLE `oauth_refresh_tokens` (
	`id` integer PRIMARY KEY NOT NULL,
	`client_id` text(64) NOT NULL,
	`token_hash` text(64) NOT NULL,
	`scopes` text(255) NOT NULL,
	`family_id` text(64) NOT NULL,
	`parent_id` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer,
	`delivered_at` integer,
	`revoked_at` integer,
	`revoke_reason` text(64)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_refresh_tokens_token_hash_unique` ON `oauth_refresh_tokens` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_refresh_tokens_parent_id_unique` ON `oauth_refresh_tokens` (`parent_id`);--> statement-breakpoint
CREATE INDEX `oauth_refresh_tokens_family` ON `oauth_refresh_tokens` (`family_id`);--> statement-breakpoint
CREATE INDEX `oauth_refresh_tokens_expiry` ON `oauth_refresh_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `oauth_signing_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`kid` text(64) NOT NULL,
	`algorithm` text(16) NOT NULL,
	`public_jwk` text NOT NULL,
	`private_sealed` text,
	`is_active` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`rotated_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_signing_keys_kid_unique` ON `oauth_signing_keys` (`kid`);--> statement-breakpoint
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
CREATE INDEX `messages_by_provider` ON `messages` (`channel`,`provider_id`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`mode` text NOT NULL,
	`order_ref` text,
	`body` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_ref` ON `idempotency_keys` (`order_ref`);--> statement-breakpoint
CREATE INDEX `idempotency_keys_created` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `order_batches` (
	`batch_ref` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`api_type` text NOT NULL,
	`source` text NOT NULL,
	`mode` text NOT NULL,
	`approval_id` integer,
	`plan` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
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
CREATE INDEX `order_events_triggered` ON `order_events` (`at`) WHERE to_state = 'triggered';--> statement-breakpoint
CREATE TABLE `order_fills` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_ref` text NOT NULL,
	`quantity` real NOT NULL,
	`price` real NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `order_fills_order` ON `order_fills` (`order_ref`,`quantity`);--> statement-breakpoint
CREATE INDEX `order_fills_at` ON `order_fills` (`at`);--> statement-breakpoint
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
	`strategy` text DEFAULT '' NOT NULL,
	`request` text NOT NULL,
	`order_id` text,
	`trigger_id` text,
	`approval_id` integer,
	`batch_ref` text,
	`leg` integer,
	`reason` text,
	`end_cause` text,
	`answer` text,
	`lookups` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `order_journal_page` ON `order_journal` (`state`,`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `order_journal_user` ON `order_journal` (`user_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `order_journal_broker_order` ON `order_journal` (`broker`,`order_id`) WHERE order_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `order_journal_broker_trigger` ON `order_journal` (`broker`,`trigger_id`) WHERE trigger_id is not null;--> statement-breakpoint
CREATE INDEX `order_journal_strategy` ON `order_journal` (`user_id`,`strategy`,`state`,`created_at`);--> statement-breakpoint
CREATE INDEX `order_journal_approval` ON `order_journal` (`approval_id`);--> statement-breakpoint
CREATE INDEX `order_journal_batch` ON `order_journal` (`batch_ref`,`leg`);--> statement-breakpoint
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
	`mcp_enabled` integer DEFAULT false NOT NULL,
	`mcp_public_url` text(255) DEFAULT '' NOT NULL,
	`mcp_require_approval` integer DEFAULT true NOT NULL,
	`mcp_write_scope_enabled` integer DEFAULT true NOT NULL,
	`mcp_queue_writes` integer DEFAULT true NOT NULL,
	CONSTRAINT "settings_one_row" CHECK("settings"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `strategies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`config` text NOT NULL,
	`live_enabled` integer DEFAULT false NOT NULL,
	`webhook_token_hash` text NOT NULL,
	`webhook_locked` integer DEFAULT false NOT NULL,
	`status` text DEFAULT 'stopped' NOT NULL,
	`current_run_id` integer,
	`file_key` text,
	`applied_hash` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `strategies_name` ON `strategies` (`user_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `strategies_token` ON `strategies` (`webhook_token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `strategies_file` ON `strategies` (`user_id`,`file_key`);--> statement-breakpoint
CREATE TABLE `strategy_checkpoints` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`strategy_id` integer NOT NULL,
	`run_id` integer NOT NULL,
	`ts` integer NOT NULL,
	`pnl_realized` integer NOT NULL,
	`pnl_unrealized` integer NOT NULL,
	`pnl_total` integer NOT NULL,
	`pnl_peak` integer NOT NULL,
	`pnl_trough` integer NOT NULL,
	`lock_floor` integer,
	`trail_to_entry_active` integer DEFAULT false NOT NULL,
	`leg_state` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `strategy_checkpoints_run` ON `strategy_checkpoints` (`run_id`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_checkpoints_strategy` ON `strategy_checkpoints` (`strategy_id`);--> statement-breakpoint
CREATE TABLE `strategy_cursor` (
	`id` integer PRIMARY KEY NOT NULL,
	`last_fill` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `strategy_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`strategy_id` integer NOT NULL,
	`run_id` integer,
	`user_id` text NOT NULL,
	`ts` integer NOT NULL,
	`kind` text NOT NULL,
	`severity` text NOT NULL,
	`leg_id` integer,
	`message` text NOT NULL,
	`payload` text
);
--> statement-breakpoint
CREATE INDEX `strategy_events_strategy` ON `strategy_events` (`strategy_id`,`ts`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_events_kind` ON `strategy_events` (`strategy_id`,`kind`,`ts`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_events_severity` ON `strategy_events` (`strategy_id`,`severity`,`ts`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_events_run` ON `strategy_events` (`run_id`,`ts`,`id`) WHERE run_id is not null;--> statement-breakpoint
CREATE TABLE `strategy_legs` (
	`user_id` text NOT NULL,
	`strategy` text NOT NULL,
	`exchange` text NOT NULL,
	`symbol` text NOT NULL,
	`product` text NOT NULL,
	`quantity` real NOT NULL,
	`cost` text NOT NULL,
	`realized` text NOT NULL,
	`today_realized` text NOT NULL,
	`session` text NOT NULL,
	PRIMARY KEY(`user_id`, `strategy`, `exchange`, `symbol`, `product`)
);
--> statement-breakpoint
CREATE INDEX `strategy_legs_contract` ON `strategy_legs` (`user_id`,`exchange`,`symbol`,`product`);--> statement-breakpoint
CREATE TABLE `strategy_orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`strategy_id` integer NOT NULL,
	`run_id` integer NOT NULL,
	`leg_id` integer NOT NULL,
	`kind` text NOT NULL,
	`position_ref` text NOT NULL,
	`exit_owner` text NOT NULL,
	`order_ref` text NOT NULL,
	`pending_order_id` integer,
	`broker_order_id` text,
	`symbol` text NOT NULL,
	`exchange` text NOT NULL,
	`action` text NOT NULL,
	`quantity` integer NOT NULL,
	`product` text NOT NULL,
	`pricetype` text DEFAULT 'MARKET' NOT NULL,
	`price` integer DEFAULT 0 NOT NULL,
	`trigger_price` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`placed_at` integer NOT NULL,
	`filled_at` integer,
	`avg_fill_price` integer,
	`filled_qty` integer DEFAULT 0 NOT NULL,
	`reject_reason` text,
	`closed_elsewhere` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `strategy_orders_run` ON `strategy_orders` (`run_id`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_orders_strategy` ON `strategy_orders` (`strategy_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `strategy_orders_ref` ON `strategy_orders` (`order_ref`);--> statement-breakpoint
CREATE INDEX `strategy_orders_broker` ON `strategy_orders` (`broker_order_id`) WHERE broker_order_id is not null;--> statement-breakpoint
CREATE INDEX `strategy_orders_approval` ON `strategy_orders` (`pending_order_id`) WHERE pending_order_id is not null;--> statement-breakpoint
CREATE INDEX `strategy_orders_working` ON `strategy_orders` (`id`) WHERE status in ('pending', 'open');--> statement-breakpoint
CREATE TABLE `strategy_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`strategy_id` integer NOT NULL,
	`mode` text NOT NULL,
	`broker` text NOT NULL,
	`started_at` integer NOT NULL,
	`stopped_at` integer,
	`stop_reason` text,
	`reserved_at` integer,
	`reserved_reason` text,
	`reopened_at` integer,
	`stop_requested_at` integer,
	`stop_requested_reason` text,
	`pnl_realized` integer DEFAULT 0 NOT NULL,
	`pnl_session` integer DEFAULT 0 NOT NULL,
	`pnl_peak` integer DEFAULT 0 NOT NULL,
	`pnl_trough` integer DEFAULT 0 NOT NULL,
	`trigger_source` text NOT NULL,
	`webhook_event_id` integer,
	`resolved_expiries` text DEFAULT '{}' NOT NULL,
	`definition` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `strategy_runs_strategy` ON `strategy_runs` (`strategy_id`,`id`);--> statement-breakpoint
CREATE INDEX `strategy_runs_stopped` ON `strategy_runs` (`strategy_id`,`stopped_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `strategy_runs_unfinished` ON `strategy_runs` (`strategy_id`) WHERE stopped_at is null;--> statement-breakpoint
CREATE INDEX `strategy_runs_reopened` ON `strategy_runs` (`id`) WHERE reopened_at is not null;--> statement-breakpoint
CREATE TABLE `strategy_webhook_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`strategy_id` integer,
	`action` text,
	`mode` text,
	`payload` text,
	`ip` text NOT NULL,
	`user_agent` text DEFAULT '' NOT NULL,
	`received_at` integer NOT NULL,
	`result` text NOT NULL,
	`error` text
);
--> statement-breakpoint
CREATE INDEX `strategy_webhook_events_strategy` ON `strategy_webhook_events` (`strategy_id`,`id`);--> statement-breakpoint
CREATE TABLE `strategy_webhook_claims` (
	`strategy_id` integer NOT NULL,
	`action` text NOT NULL,
	`mode` text NOT NULL,
	`event_id` integer NOT NULL,
	`claimed_at` integer NOT NULL,
	`settled` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`strategy_id`, `action`, `mode`)
);
