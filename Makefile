# Every target is one command of book/make.py, which also works where there is no make.
PYTHON ?= python3
RUN = $(PYTHON) book/make.py

.DEFAULT_GOAL := help
.PHONY: help book lab test test-all release grade bench notebooks lock clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 18

book:  ## build the book and print the path of its first page
	@$(RUN) book

lab:  ## open the chapters in JupyterLab
	@$(RUN) lab

test:  ## check everything: package, chapters, exercises, the book in a browser
	@$(RUN) test

test-all:  ## the same, with the long comparisons whole
	@$(RUN) test-all

release:  ## write the student's notebook: make release CHAPTER=03 (or all) [PART=exercises]
	@$(RUN) release "$(CHAPTER)" $(if $(COURSE),--course "$(COURSE)") $(if $(PART),--$(PART)-only)

grade:  ## grade submissions: make grade CHAPTER=03 SUBMISSIONS=folder
	@$(RUN) grade "$(CHAPTER)" $(if $(SUBMISSIONS),"$(SUBMISSIONS)") $(if $(COURSE),--course "$(COURSE)") $(if $(SECONDS_PER_CELL),--seconds $(SECONDS_PER_CELL))

bench:  ## measure speed against other libraries
	@$(RUN) bench

notebooks:  ## run the chapters whose text has changed
	@$(RUN) notebooks

lock:  ## write requirements.txt anew from pyproject.toml
	@$(RUN) lock

clean:  ## remove what was built
	@$(RUN) clean
