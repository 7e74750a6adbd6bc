/** The page after a sign-in that began at none: the work that waits for a person. */
export const HOME = '/action-center'

/** The sign-in, which every page leads to without a session. */
export const SIGN_IN = '/auth/login'

/** Returns the address of the sign-in that leads on to a page. */
export const signInFor = (page: string): string => `${SIGN_IN}?${new URLSearchParams({ next: page })}`
