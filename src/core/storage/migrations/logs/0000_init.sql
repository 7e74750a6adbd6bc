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
	`error` text(500)
);
--> statement-breakpoint
CREATE INDEX `order_latency_timestamp` ON `order_latency` (`timestamp`);--> statement-breakpoint
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
CREATE INDEX `order_logs_created_at` ON `order_logs` (`created_at`);