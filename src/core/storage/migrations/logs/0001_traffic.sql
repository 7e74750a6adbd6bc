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
--> statement-breakpoint
ALTER TABLE `order_latency` ADD `source` text(20);--> statement-breakpoint
CREATE INDEX `order_latency_orders` ON `order_latency` (`timestamp`,`broker`,`order_type`,`rtt_ms`,`total_latency_ms`) WHERE order_type in ('PLACE', 'SMART', 'MODIFY', 'CANCEL', 'CLOSE', 'CANCEL_ALL', 'BASKET', 'SPLIT', 'OPTIONS', 'OPTIONS_MULTI', 'GTT_PLACE', 'GTT_MODIFY', 'GTT_CANCEL');--> statement-breakpoint
CREATE INDEX `order_latency_data` ON `order_latency` (`timestamp`) WHERE order_type not in ('PLACE', 'SMART', 'MODIFY', 'CANCEL', 'CLOSE', 'CANCEL_ALL', 'BASKET', 'SPLIT', 'OPTIONS', 'OPTIONS_MULTI', 'GTT_PLACE', 'GTT_MODIFY', 'GTT_CANCEL');--> statement-breakpoint
INSERT INTO `latency_totals` SELECT coalesce(`broker`, ''), `order_type`, count(*), sum(`status` = 'FAILED'), sum(`rtt_ms`), sum(`overhead_ms`), sum(`total_latency_ms`), sum(`total_latency_ms` < 100), sum(`total_latency_ms` < 150), sum(`total_latency_ms` < 200) FROM `order_latency` WHERE `order_type` IN ('PLACE', 'SMART', 'MODIFY', 'CANCEL', 'CLOSE', 'CANCEL_ALL', 'BASKET', 'SPLIT', 'OPTIONS', 'OPTIONS_MULTI', 'GTT_PLACE', 'GTT_MODIFY', 'GTT_CANCEL') GROUP BY 1, 2;
