CREATE INDEX `audit_entries_target` ON `audit_entries` (`target`,`seq`) WHERE target is not null;--> statement-breakpoint
CREATE INDEX `audit_entries_request` ON `audit_entries` (`request_id`) WHERE request_id is not null;--> statement-breakpoint
CREATE INDEX `strategy_runs_signal` ON `strategy_runs` (`webhook_event_id`) WHERE webhook_event_id is not null;