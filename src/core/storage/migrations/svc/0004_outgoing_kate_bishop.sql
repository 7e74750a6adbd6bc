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
CREATE INDEX `flow_executions_status` ON `flow_workflow_executions` (`status`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `flow_workflows_file` ON `flow_workflows` (`file_key`);