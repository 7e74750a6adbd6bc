CREATE TABLE `health_alerts` (
	`id` integer PRIMARY KEY NOT NULL,
	`timestamp` integer NOT NULL,
	`alert_type` text NOT NULL,
	`severity` text NOT NULL,
	`metric_name` text NOT NULL,
	`metric_value` real NOT NULL,
	`threshold_value` real NOT NULL,
	`message` text NOT NULL,
	`acknowledged_at` integer,
	`resolved_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `health_alerts_open` ON `health_alerts` (`alert_type`) WHERE resolved_at is null;--> statement-breakpoint
CREATE TABLE `health_metrics` (
	`id` integer PRIMARY KEY NOT NULL,
	`timestamp` integer NOT NULL,
	`fd_count` integer,
	`fd_limit` integer,
	`fd_usage_percent` real,
	`fd_available` integer,
	`fd_status` text NOT NULL,
	`memory_rss_mb` real NOT NULL,
	`memory_vms_mb` real,
	`memory_percent` real NOT NULL,
	`memory_available_mb` real NOT NULL,
	`memory_swap_mb` real,
	`memory_status` text NOT NULL,
	`db_connections_total` integer NOT NULL,
	`db_connections` text NOT NULL,
	`db_status` text NOT NULL,
	`ws_connections_total` integer NOT NULL,
	`ws_connections` text NOT NULL,
	`ws_total_symbols` integer NOT NULL,
	`ws_status` text NOT NULL,
	`thread_count` integer,
	`stuck_threads` integer NOT NULL,
	`thread_status` text NOT NULL,
	`overall_status` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `health_metrics_timestamp` ON `health_metrics` (`timestamp`);--> statement-breakpoint
CREATE TABLE `latency_totals` (
	`broker` text NOT NULL,
	`order_type` text NOT NULL,
	`total` integer NOT NULL,
	`failed` integer NOT NULL,
	`sum_rtt` real NOT NULL,
	`sum_overhead` real NOT NULL,
	`sum_total` real NOT NULL,
	`under_100` integer NOT NULL,
	`under_150` integer NOT NULL,
	`under_200` integer NOT NULL,
	PRIMARY KEY(`broker`, `order_type`)
);
--> statement-breakpoint
CREATE TABLE `order_latency` (
	`id` integer PRIMARY KEY NOT NULL,
	`timestamp` integer NOT NULL,
	`order_id` text(100) NOT NULL,
	`user_id` text(255),
	`broker` text(50),
	`symbol` text(50),
	`order_type` text(20) NOT NULL,
	`rtt_ms` real NOT NULL,
	`validation_latency_ms` real NOT NULL,
	`response_latency_ms` real NOT NULL,
	`overhead_ms` real NOT NULL,
	`total_latency_ms` real NOT NULL,
	`request_body` text,
	`response_body` text,
	`status` text(20) NOT NULL,
	`error` text(500),
	`source` text(20)
);
--> statement-breakpoint
CREATE INDEX `order_latency_timestamp` ON `order_latency` (`timestamp`);--> statement-breakpoint
CREATE INDEX `order_latency_orders` ON `order_latency` (`timestamp`,`broker`,`order_type`,`rtt_ms`,`total_latency_ms`) WHERE order_type in ('PLACE', 'SMART', 'MODIFY', 'CANCEL', 'CLOSE', 'CANCEL_ALL', 'BASKET', 'SPLIT', 'OPTIONS', 'OPTIONS_MULTI', 'GTT_PLACE', 'GTT_MODIFY', 'GTT_CANCEL');--> statement-breakpoint
CREATE INDEX `order_latency_data` ON `order_latency` (`timestamp`) WHERE order_type not in ('PLACE', 'SMART', 'MODIFY', 'CANCEL', 'CLOSE', 'CANCEL_ALL', 'BASKET', 'SPLIT', 'OPTIONS', 'OPTIONS_MULTI', 'GTT_PLACE', 'GTT_MODIFY', 'GTT_CANCEL');--> statement-breakpoint
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
CREATE INDEX `mcp_audit_timestamp` ON `mcp_audit` (`timestamp`);--> statement-breakpoint
CREATE TABLE `analyzer_logs` (
	`id` integer PRIMARY KEY NOT NULL,
	`api_type` text(50) NOT NULL,
	`request_data` text NOT NULL,
	`response_data` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `analyzer_logs_created_at` ON `analyzer_logs` (`created_at`);--> statement-breakpoint
CREATE TABLE `order_logs` (
	`id` integer PRIMARY KEY NOT NULL,
	`api_type` text NOT NULL,
	`request_data` text NOT NULL,
	`response_data` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `order_logs_created_at` ON `order_logs` (`created_at`);--> statement-breakpoint
CREATE TABLE `error_404_tracker` (
	`ip_address` text(50) PRIMARY KEY NOT NULL,
	`error_count` integer NOT NULL,
	`first_error_at` integer NOT NULL,
	`last_error_at` integer NOT NULL,
	`paths_attempted` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `error_404_tracker_first` ON `error_404_tracker` (`first_error_at`);--> statement-breakpoint
CREATE TABLE `invalid_api_key_tracker` (
	`ip_address` text(50) PRIMARY KEY NOT NULL,
	`attempt_count` integer NOT NULL,
	`first_attempt_at` integer NOT NULL,
	`last_attempt_at` integer NOT NULL,
	`api_keys_tried` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `invalid_api_key_tracker_first` ON `invalid_api_key_tracker` (`first_attempt_at`);--> statement-breakpoint
CREATE TABLE `traffic_logs` (
	`id` integer PRIMARY KEY NOT NULL,
	`timestamp` integer NOT NULL,
	`client_ip` text(50) NOT NULL,
	`method` text(10) NOT NULL,
	`path` text(500) NOT NULL,
	`status_code` integer NOT NULL,
	`duration_ms` real NOT NULL,
	`host` text(500),
	`error` text(500),
	`user_id` text(255)
);
--> statement-breakpoint
CREATE INDEX `traffic_logs_timestamp` ON `traffic_logs` (`timestamp`);--> statement-breakpoint
CREATE INDEX `traffic_logs_client` ON `traffic_logs` (`client_ip`,`timestamp`);--> statement-breakpoint
CREATE INDEX `traffic_logs_errors` ON `traffic_logs` (`timestamp`) WHERE status_code >= 400;--> statement-breakpoint
CREATE TABLE `traffic_totals` (
	`day` integer NOT NULL,
	`kind` text NOT NULL,
	`total` integer NOT NULL,
	`errors` integer NOT NULL,
	`duration_ms` real NOT NULL,
	PRIMARY KEY(`day`, `kind`)
);
