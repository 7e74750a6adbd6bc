CREATE TABLE `order_fills` (
	`order_ref` text NOT NULL,
	`quantity` real NOT NULL,
	`price` real NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`order_ref`, `quantity`)
);
--> statement-breakpoint
DROP INDEX `order_journal_order`;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `strategy` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `end_cause` text;--> statement-breakpoint
-- Facts that stood in sentences until now, read once.
UPDATE `order_journal` SET `strategy` = coalesce(`request` ->> '$.strategy', '') WHERE json_valid(`request`);
--> statement-breakpoint
UPDATE `order_journal` SET `strategy` = 'Squareoff' WHERE `api_type` = 'closeposition';
--> statement-breakpoint
INSERT OR REPLACE INTO `order_fills` (`order_ref`, `quantity`, `price`, `at`)
SELECT `order_ref`, `filled`, cast(substr(`detail`, instr(`detail`, ' at ') + 4) AS real), `at`
FROM (
	SELECT *, cast(substr(`detail`, 8, instr(`detail`, ' of ') - 8) AS real) AS `filled` FROM `order_events`
	WHERE `to_state` IN ('partial', 'filled', 'cancelled') AND `detail` LIKE 'filled % of % at %'
)
WHERE `filled` > 0 AND cast(substr(`detail`, instr(`detail`, ' at ') + 4) AS real) > 0
ORDER BY `id`;
--> statement-breakpoint
UPDATE `order_journal` SET `end_cause` = CASE
	WHEN `answer` IS NULL AND `reason` = 'Not sent: the service stopped before it came to this order.' THEN 'stopped'
	WHEN `reason` LIKE 'Settled by %' THEN 'settled'
	WHEN `reason` = 'The broker never received it' THEN 'not_received'
	WHEN json_valid(`answer`) AND `answer` ->> '$.code' = 'ok' THEN 'exchange'
	WHEN NOT EXISTS (
		SELECT 1 FROM `order_events` AS `e` WHERE `e`.`order_ref` = `order_journal`.`order_ref` AND `e`.`to_state` = 'sending'
	) THEN 'not_sent'
	WHEN EXISTS (
		SELECT 1 FROM `order_events` AS `e` WHERE `e`.`order_ref` = `order_journal`.`order_ref`
			AND `e`.`from_state` = 'sending' AND `e`.`detail` LIKE 'Never reached the broker: %'
	) THEN 'not_sent'
	ELSE 'refused'
END
WHERE `state` = 'rejected';
--> statement-breakpoint
-- Earlier versions stored an empty text where the broker gave no id.
UPDATE `order_journal` SET `order_id` = NULL WHERE `order_id` = '';
--> statement-breakpoint
-- An id that several orders of a broker have belongs to the newest of them.
UPDATE `order_journal` SET `order_id` = NULL WHERE rowid IN (
	SELECT `row` FROM (
		SELECT rowid AS `row`, row_number() OVER (
			PARTITION BY `broker`, `order_id`, `api_type` = 'placegttorder' ORDER BY `created_at` DESC, rowid DESC
		) AS `place` FROM `order_journal` WHERE `order_id` IS NOT NULL
	) WHERE `place` > 1
);
--> statement-breakpoint
CREATE UNIQUE INDEX `order_journal_broker_order` ON `order_journal` (`broker`,`order_id`) WHERE order_id is not null and api_type <> 'placegttorder';--> statement-breakpoint
CREATE UNIQUE INDEX `order_journal_broker_trigger` ON `order_journal` (`broker`,`order_id`) WHERE order_id is not null and api_type = 'placegttorder';--> statement-breakpoint
CREATE INDEX `order_journal_strategy` ON `order_journal` (`user_id`,`strategy`,`symbol`);