DROP INDEX `flow_executions_status`;--> statement-breakpoint
CREATE INDEX `flow_executions_unfinished` ON `flow_workflow_executions` (`id`) WHERE status in ('running', 'pending');--> statement-breakpoint
UPDATE `flow_workflow_executions` SET `logs` = (
	SELECT json_group_array(json_array(
		CAST(round((julianday(value ->> 'time') - 2440587.5) * 86400000) AS INTEGER), value ->> 'level', value ->> 'message'
	)) FROM json_each(`logs`)
);
