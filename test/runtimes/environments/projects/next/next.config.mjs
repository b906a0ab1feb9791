/** The defaults: it exists because a project has one. */
export default {};
