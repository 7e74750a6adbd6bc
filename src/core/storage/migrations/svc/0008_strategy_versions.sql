CREATE TABLE `strategy_versions` (
	`strategy_id` integer NOT NULL,
	`version` integer NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`credential` text NOT NULL,
	`credential_id` text,
	`origin` text NOT NULL,
	`rolled_back_to` integer,
	`file` text,
	`commit` text,
	`name` text NOT NULL,
	`config` text NOT NULL,
	PRIMARY KEY(`strategy_id`, `version`)
);
--> statement-breakpoint
-- The configuration of now is the newest version of each strategy: the next change can be compared with it, and undone.
-- Its number is that of the events so far, so that the numbers in saved plans and scripts stay.
WITH `changes` AS (
	SELECT `id`, `strategy_id`, `ts`, `user_id`,
		CASE WHEN json_valid(`payload`) THEN json_extract(`payload`, '$.file') END AS `file`,
		CASE WHEN json_valid(`payload`) THEN json_extract(`payload`, '$.commit') END AS `commit`
	FROM `strategy_events` WHERE `kind` IN ('strategy_created', 'strategy_updated')
), `newest` AS (
	SELECT `strategy_id`, count(*) AS `version`, max(`id`) AS `id` FROM `changes` GROUP BY `strategy_id`
), `applied` AS (
	SELECT `strategy_id`, max(`id`) AS `id` FROM `changes` WHERE `file` IS NOT NULL GROUP BY `strategy_id`
)
INSERT INTO `strategy_versions`
	(`strategy_id`, `version`, `at`, `by`, `credential`, `origin`, `file`, `commit`, `name`, `config`)
SELECT `s`.`id`, coalesce(`n`.`version`, 1), coalesce(`c`.`ts`, `s`.`updated_at`), coalesce(`c`.`user_id`, `s`.`user_id`),
	'unknown', CASE WHEN coalesce(`c`.`file`, `c`.`commit`) IS NULL THEN 'edit' ELSE 'apply' END,
	`f`.`file`, `c`.`commit`, `s`.`name`, `s`.`config`
FROM `strategies` `s`
	LEFT JOIN `newest` `n` ON `n`.`strategy_id` = `s`.`id`
	LEFT JOIN `changes` `c` ON `c`.`id` = `n`.`id`
	LEFT JOIN `applied` `a` ON `a`.`strategy_id` = `s`.`id`
	LEFT JOIN `changes` `f` ON `f`.`id` = `a`.`id`;
