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
CREATE INDEX `health_metrics_timestamp` ON `health_metrics` (`timestamp`);