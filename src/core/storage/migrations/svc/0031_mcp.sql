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
ALTER TABLE `settings` ADD `mcp_enabled` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `settings` ADD `mcp_public_url` text(255) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `settings` ADD `mcp_require_approval` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `settings` ADD `mcp_write_scope_enabled` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `settings` ADD `mcp_queue_writes` integer DEFAULT true NOT NULL;