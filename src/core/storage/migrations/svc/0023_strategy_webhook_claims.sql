CREATE TABLE `strategy_webhook_claims` (
	`strategy_id` integer NOT NULL,
	`action` text NOT NULL,
	`mode` text NOT NULL,
	`event_id` integer NOT NULL,
	`claimed_at` integer NOT NULL,
	`settled` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`strategy_id`, `action`, `mode`)
);
