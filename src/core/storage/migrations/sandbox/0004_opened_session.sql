-- A position without an opening session was opened before 0002. It was flat at the start of the session in which it was
-- opened, so its units of that session count from their own price. A session begins at 03:00 IST: 150 minutes after UTC.
UPDATE `sandbox_positions` SET `opening_session` = date("opened_at" / 1000 + 9000, 'unixepoch') WHERE `opening_session` = '';
