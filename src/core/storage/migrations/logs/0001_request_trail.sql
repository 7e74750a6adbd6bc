CREATE TABLE `request_trail` (
	`id` integer PRIMARY KEY NOT NULL,
	`request_id` text(64) NOT NULL,
	`at` integer NOT NULL,
	`method` text(10) NOT NULL,
	`path` text(500) NOT NULL,
	`status_code` integer NOT NULL,
	`code` text(50),
	`rule` text(50),
	`message` text(500),
	`user_id` text(255),
	`client_ip` text(50) NOT NULL,
	`mode` text,
	`subject` text(100),
	`approval_id` integer,
	`caller_key` text(255),
	`request` text
);
--> statement-breakpoint
CREATE INDEX `request_trail_request` ON `request_trail` (`request_id`);--> statement-breakpoint
CREATE INDEX `request_trail_at` ON `request_trail` (`at`);--> statement-breakpoint
CREATE INDEX `request_trail_subject` ON `request_trail` (`subject`) WHERE subject is not null;--> statement-breakpoint
CREATE INDEX `request_trail_approval` ON `request_trail` (`approval_id`) WHERE approval_id is not null;--> statement-breakpoint
CREATE INDEX `request_trail_key` ON `request_trail` (`caller_key`) WHERE caller_key is not null;--> statement-breakpoint
CREATE INDEX `analyzer_logs_refused` ON `analyzer_logs` (`created_at`) WHERE iif(json_valid(response_data), json_extract(response_data, '$.status'), null) = 'error';--> statement-breakpoint
CREATE INDEX `order_logs_refused` ON `order_logs` (`created_at`) WHERE iif(json_valid(response_data), json_extract(response_data, '$.status'), null) = 'error';