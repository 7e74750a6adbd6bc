CREATE TABLE `broker_algos` (
	`broker` text NOT NULL,
	`strategy` text NOT NULL,
	`algo_id` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`broker`, `strategy`)
);
