/** From the enrolment of an authenticator that none vouched for to when it lets fewer signatures do, ms. */
export const beforeWeakeningMs: number = 24 * 60 * 60_000
