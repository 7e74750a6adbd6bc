ALTER TABLE `active_sessions` ADD `totp_verified_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `totp_last_step` integer;