import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

const flag = (name: string) => integer(name, { mode: 'boolean' }).notNull().default(false)

/** The programs that registered to act for the owner. A secret has 256 random bits, so its SHA-256 is enough. */
export const oauthClients = sqliteTable('oauth_clients', {
  id: integer('id').primaryKey(),
  clientId: text('client_id', { length: 64 }).notNull().unique(),
  clientName: text('client_name', { length: 255 }).notNull(),
  redirectUris: text('redirect_uris', { mode: 'json' }).$type<string[]>().notNull(),
  /** Null for a public client, which has no secret. */
  clientSecretHash: text('client_secret_hash', { length: 64 }),
  scopesRequested: text('scopes_requested', { length: 255 }).notNull(),
  approved: flag('approved'),
  /** Null for a client that nobody had to approve. */
  approvedAt: integer('approved_at'),
  revokedAt: integer('revoked_at'),
  createdAt: integer('created_at').notNull(),
  lastUsedAt: integer('last_used_at'),
})

/**
 * One consent of the owner: a family of tokens that begin and end together. No access token is valid after the end
 * of its grant.
 */
export const oauthGrants = sqliteTable(
  'oauth_grants',
  {
    familyId: text('family_id', { length: 64 }).primaryKey(),
    clientId: text('client_id', { length: 64 }).notNull(),
    userId: integer('user_id').notNull(),
    username: text('username', { length: 255 }).notNull(),
    createdAt: integer('created_at').notNull(),
    /** The end of its newest refresh token. */
    expiresAt: integer('expires_at').notNull(),
    endedAt: integer('ended_at'),
    endReason: text('end_reason', { length: 64 }),
  },
  (table) => [index('oauth_grants_client').on(table.clientId)],
)

/** Refresh tokens, by the SHA-256 of their 256 bits. Each one is used once, and has one successor. */
export const oauthRefreshTokens = sqliteTable(
  'oauth_refresh_tokens',
  {
    id: integer('id').primaryKey(),
    clientId: text('client_id', { length: 64 }).notNull(),
    tokenHash: text('token_hash', { length: 64 }).notNull().unique(),
    scopes: text('scopes', { length: 255 }).notNull(),
    familyId: text('family_id', { length: 64 }).notNull(),
    /** Unique: a token that is replaced twice would be a family of two. */
    parentId: integer('parent_id').unique(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    /** When its answer left this machine. Until then its client still has only the token before it. */
    deliveredAt: integer('delivered_at'),
    revokedAt: integer('revoked_at'),
    revokeReason: text('revoke_reason', { length: 64 }),
  },
  (table) => [
    index('oauth_refresh_tokens_family').on(table.familyId),
    index('oauth_refresh_tokens_expiry').on(table.expiresAt),
  ],
)

/** The keys that sign access tokens. Only the active one still has its private part, sealed. */
export const oauthSigningKeys = sqliteTable('oauth_signing_keys', {
  id: integer('id').primaryKey(),
  kid: text('kid', { length: 64 }).notNull().unique(),
  algorithm: text('algorithm', { length: 16 }).notNull(),
  publicJwk: text('public_jwk').notNull(),
  privateSealed: text('private_sealed'),
  isActive: flag('is_active'),
  createdAt: integer('created_at').notNull(),
  rotatedAt: integer('rotated_at'),
})
