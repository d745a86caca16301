"""Write skills: the SKILL.md of a project, and the folders of instructions that its server serves."""
