CREATE TABLE `mcp_audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`timestamp` integer NOT NULL,
	`jti` text(100),
	`client_id` text(64),
	`tool` text(100) NOT NULL,
	`scope` text(32),
	`outcome` text(32) NOT NULL,
	`params_hash` text(16) NOT NULL,
	`duration_ms` integer NOT NULL,
	`request_ip` text(50)
);
--> statement-breakpoint
CREATE INDEX `mcp_audit_timestamp` ON `mcp_audit` (`timestamp`);