export { createPost, type Letter, type Post } from './post.ts'
export { type OwedMail, owedMails } from './records.ts'
export { createMailHandler, type MailDeps } from './send-mail.ts'
